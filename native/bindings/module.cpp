// The module. The files in this folder are the only ones that know Python: they check every argument, release the GIL
// and turn vectors into NumPy arrays.
#include "bindings/arrays.hpp"

NB_MODULE(_native, m) {
  m.doc() = "Tartib's native core. Use it through the modules of the package.";
  bind_bitext(m);
  bind_lm(m);
  bind_word_classes(m);
  bind_alignment(m);
  bind_alignment_joint(m);
  bind_phrases(m);
  bind_phrase_table(m);
  bind_features(m);
  bind_dataset(m);
  bind_models(m);
  bind_reordering(m);
  bind_decoder(m);
  bind_tuning(m);
  bind_process(m);
}
