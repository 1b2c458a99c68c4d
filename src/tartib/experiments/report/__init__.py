"""What all reports are made of: tables, figures, pages, pictures, and the papers' figures."""
