"""Parts that all reports share: tables, figures, pages, pictures, and the papers' figures."""
