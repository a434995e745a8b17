"""Words that have an order wherever they are met: low and high, months, weekdays, sizes, answers of a survey.

Each scale lists its places from the first to the last; "/" separates the words of one place. A column has an order when
one scale knows all of its levels. Words whose order depends on what is meant are left out.
"""

from __future__ import annotations

import re
from unicodedata import combining, normalize

from mercer.table.kinds.translated import TRANSLATED

_SCALES = {
    "low to high": "very low/vlow/v low/extremely low/lowest; low/lo; medium low/mid low/low medium; "
    "medium/med/mid/middle/moderate/normal/average/avg; medium high/mid high/high medium; "
    "high/hi; very high/vhigh/v high/extremely high/highest",
    "few to many": "no/none/zero; very few; few/a few; some/several; many; very many",
    "small to large": "tiny/very small/extra small/xsmall/x small; small/sml; medium/med/mid/middle/regular/normal; "
    "large/lrg/big; extra large/xlarge/x large/very large/very big/huge; extra extra large/xxlarge/xx large/gigantic",
    "short to long": "very short; short; medium/med/middle/average/normal; long/tall; very long/very tall",
    "light to heavy": "very light; light; medium/med/moderate/normal/average; heavy; very heavy",
    "slow to fast": "very slow; slow; medium/moderate/normal/average; fast; very fast",
    "weak to strong": "none; very weak; weak; medium/moderate/normal/average; strong; very strong",
    "cold to hot": "freezing; very cold; cold; cool; mild; warm; hot; very hot",
    "none to severe": "none/absent/no/normal; minimal/trace; mild/slight; moderate; "
    "moderately severe; severe; very severe/critical; fatal",
    "minor to critical": "trivial; minor; moderate/medium/normal; major; critical; blocker/catastrophic",
    "poor to excellent": "very poor/very bad/terrible/awful; poor/bad; below average; fair/ok/okay/mediocre; "
    "average/avg/typical/medium/middling; above average; good; very good; excellent/exceptional/outstanding",
    "Po to Ex": "po; fa; ta; gd; ex",
    "No to Gd": "no; mn; av; gd",
    "never to always": "never; almost never/hardly ever/very rarely/very seldom; rarely/seldom; "
    "occasionally/once in a while; sometimes; often/frequently; very often/very frequently/usually; "
    "almost always/nearly always; always",
    "disagree to agree": "strongly disagree/totally disagree/completely disagree; disagree; "
    "somewhat disagree/slightly disagree/tend to disagree; neither agree nor disagree/neutral/undecided/neither; "
    "somewhat agree/slightly agree/tend to agree; agree; strongly agree/totally agree/completely agree",
    "dissatisfied to satisfied": "very dissatisfied/very unsatisfied/extremely dissatisfied; "
    "dissatisfied/unsatisfied; somewhat dissatisfied/slightly dissatisfied; "
    "neither satisfied nor dissatisfied/neutral/neither; somewhat satisfied/slightly satisfied; satisfied; "
    "very satisfied/extremely satisfied",
    "unlikely to likely": "very unlikely/extremely unlikely; unlikely; somewhat unlikely; neutral/neither/possible; "
    "somewhat likely; likely; very likely/extremely likely",
    "unimportant to important": "not at all important/very unimportant; unimportant/not important; slightly important; "
    "neutral/moderately important/somewhat important; important; very important; extremely important",
    "not at all to extremely": "not at all; a little/a little bit/slightly; somewhat/moderately; "
    "quite a bit; very/very much; extremely",
    "negative to positive": "very negative; negative; neutral; positive; very positive",
    "beginner to expert": "novice; beginner/basic; intermediate; advanced; expert",
    "junior to senior": "intern/trainee; junior; mid/mid level/intermediate; senior; lead; principal",
    "child to senior": "infant/baby; toddler; child; teen/teenager/adolescent; young adult; adult; "
    "middle aged; senior/elderly",
    "bronze to platinum": "bronze; silver; gold; platinum; diamond",
    "low to urgent": "lowest; low; medium/normal; high; urgent; critical/immediate",
    "first to last": "first; second; third; fourth; fifth; sixth; seventh; eighth; ninth; tenth",
    "education": "no education/none/illiterate; preschool/kindergarten/nursery; 1st 4th; 5th 6th; "
    "primary/primary school/primary education/elementary/elementary school; 7th 8th; middle school/lower secondary; "
    "9th; 10th; 11th; 12th/some high school; "
    "secondary/secondary school/secondary education/high school/highschool/hs grad/"
    "high school graduate/high school diploma/upper secondary; some college; assoc voc; "
    "assoc acdm/associate/associates/associates degree/associate's degree/associate degree; tertiary; "
    "bachelor/bachelors/bachelors degree/bachelor's/bachelor's degree/bachelor degree/undergraduate/college graduate; "
    "master/masters/masters degree/master's/master's degree/master degree/graduate school; prof school; "
    "doctorate/phd/ph d/doctoral/doctoral degree/doctorate degree",
    "letters L, M, H": "l; m; h",
    "sizes XS to XXL": "xxxs/3xs; xxs/2xs; xs; s; m; l; xl; xxl/2xl; xxxl/3xl; xxxxl/4xl; 5xl",
    "quarters of the year": "q1/quarter 1/1st quarter/1 quartal; q2/quarter 2/2nd quarter/2 quartal; "
    "q3/quarter 3/3rd quarter/3 quartal; q4/quarter 4/4th quarter/4 quartal",
    "rare to frequent": "never; less than once a year; yearly/annually/annual/once a year; half yearly/twice a year; "
    "quarterly; less than once a month; monthly/once a month; fortnightly; weekly/once a week; several times a week; "
    "daily/every day/once a day; several times a day; hourly",
}
# English, German, French, Spanish, Italian, Dutch and Portuguese, without accents.
_MONTHS = (
    "january jan|february feb|march mar|april apr|may|june jun|"
    "july jul|august aug|september sep sept|october oct|november nov|december dec",
    "januar jan janner|februar feb|marz maerz mar mrz|april apr|mai|juni jun|"
    "juli jul|august aug|september sep sept|oktober okt|november nov|dezember dez",
    "janvier janv jan|fevrier fevr fev|mars mar|avril avr|mai|juin|"
    "juillet juil jul|aout|septembre sept sep|octobre oct|novembre nov|decembre dec",
    "enero ene|febrero feb|marzo mar|abril abr|mayo may|junio jun|"
    "julio jul|agosto ago|septiembre setiembre sep sept|octubre oct|noviembre nov|diciembre dic",
    "gennaio gen|febbraio feb|marzo mar|aprile apr|maggio mag|giugno giu|"
    "luglio lug|agosto ago|settembre set sett|ottobre ott|novembre nov|dicembre dic",
    "januari jan|februari feb|maart mrt|april apr|mei|juni jun|"
    "juli jul|augustus aug|september sep sept|oktober okt|november nov|december dec",
    "janeiro jan|fevereiro fev|marco mar|abril abr|maio mai|junho jun|"
    "julho jul|agosto ago|setembro set|outubro out|novembro nov|dezembro dez",
)
_WEEKDAYS = (
    "monday mon mo|tuesday tue tues tu|wednesday wed we|"
    "thursday thu thur thurs th|friday fri fr|saturday sat sa|sunday sun su",
    "montag mo|dienstag di|mittwoch mi|donnerstag do|freitag fr|samstag sonnabend sa|sonntag so",
    "lundi lun|mardi mar|mercredi mer|jeudi jeu|vendredi ven|samedi sam|dimanche dim",
    "lunes lun|martes mar|miercoles mie|jueves jue|viernes vie|sabado sab|domingo dom",
    "lunedi lun|martedi mar|mercoledi mer|giovedi gio|venerdi ven|sabato sab|domenica dom",
    "maandag ma|dinsdag di|woensdag wo|donderdag do|vrijdag vr|zaterdag za|zondag zo",
    "segunda seg|terca ter|quarta qua|quinta qui|sexta sex|sabado sab|domingo dom",
)
MONTHS = "months of the year"
WEEKDAYS = "days of the week, from Monday"
# Letters are met for many other things: a column must have three of them, and nothing else.
_LETTERS = frozenset({"letters L, M, H", "sizes XS to XXL"})
# Words that say that there is no answer: they have no place in an order.
NO_ANSWER = frozenset(
    {
        "unknown", "not known", "unspecified", "not specified", "not stated", "undefined", "undisclosed", "missing",
        "no answer", "not answered", "refused", "prefer not to say", "prefer not to answer", "don't know", "dont know",
        "do not know", "dk", "not applicable", "not available", "no response", "no data", "unk", "not reported",
        "not measured", "not done", "n a", "n d", "nil", "unbekannt", "keine angabe", "k a", "inconnu", "desconocido",
        "sconosciuto", "onbekend", "-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "\u2026",
    }
)  # fmt: skip


def _scale(text: str) -> dict[str, int]:
    return {word.strip(): place for place, words in enumerate(text.split(";")) for word in words.split("/")}


def _language(line: str) -> dict[str, int]:
    return {word: place for place, words in enumerate(line.split("|")) for word in words.split()}


SCALES: dict[str, list[dict[str, int]]] = {
    MONTHS: [_language(line) for line in _MONTHS],
    WEEKDAYS: [_language(line) for line in _WEEKDAYS],
    **{name: [_scale(line) for line in (text, *TRANSLATED.get(name, ()))] for name, text in _SCALES.items()},
}


def word(level: str) -> str:
    """A level as scales list it: in lower case without accents, blanks for underscores, points, strokes and hyphens."""
    text = level.lower().replace("\u2019", "'")
    if not text.isascii():
        text = "".join(c for c in normalize("NFD", text) if not combining(c))
    return re.sub(r"[\s_./\-\u2010-\u2013]+", " ", text).strip() or level.strip()


def places(levels: list[str], scale: str) -> list[int] | None:
    """The place of each level on a scale, None when it does not know them all."""
    words = [word(level) for level in levels]
    if scale in _LETTERS and len(set(words)) < 3:
        return None
    for known in SCALES[scale]:
        if all(w in known for w in words):
            return [known[w] for w in words]
    return None
