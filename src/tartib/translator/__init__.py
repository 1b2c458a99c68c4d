"""`Translator`: raw text in, raw text out, by a system folder."""

from tartib.translator.doubts import InputCheck as InputCheck
from tartib.translator.marking import marker_of as marker_of
from tartib.translator.results import Paragraph as Paragraph
from tartib.translator.results import Translated as Translated
from tartib.translator.seen import seen_doubt as seen_doubt
from tartib.translator.translator import Translator as Translator
from tartib.translator.translator import load_text as load_text
from tartib.translator.translator import read_scores as read_scores
