"""What all experiments are run by: stages, jobs, the live screen, the corpus, classifiers."""
