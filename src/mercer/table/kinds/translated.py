"""Words of the scales in German, French, Spanish, Italian, Dutch and Portuguese, without accents.

A line has the places of one language, as `scales` lists those of English: a column is in one language.
"""

from __future__ import annotations

TRANSLATED: dict[str, tuple[str, ...]] = {
    "low to high": (
        "sehr niedrig/sehr gering; niedrig/gering; mittel/mittelmaßig/maßig/normal; hoch; sehr hoch",
        "tres faible/tres bas/tres basse; faible/bas/basse; moyen/moyenne/normal/normale/modere/moderee; "
        "eleve/elevee/haut/haute/fort/forte; tres eleve/tres elevee/tres haut/tres haute/tres fort/tres forte",
        "muy bajo/muy baja; bajo/baja; medio/media/normal/moderado/moderada; alto/alta; muy alto/muy alta",
        "molto basso/molto bassa; basso/bassa; medio/media/normale; alto/alta; molto alto/molto alta",
        "zeer laag; laag; gemiddeld/midden/middel/middelmatig/normaal/matig; hoog; zeer hoog",
        "muito baixo/muito baixa; baixo/baixa; medio/media/normal; alto/alta; muito alto/muito alta",
    ),
    "small to large": (
        "sehr klein; klein; mittel/mittelgroß/normal; groß; sehr groß",
        "tres petit/tres petite; petit/petite; moyen/moyenne; grand/grande; tres grand/tres grande",
        "muy pequeno/muy pequena; pequeno/pequena; mediano/mediana; grande; muy grande",
        "molto piccolo/molto piccola; piccolo/piccola; medio/media; grande; molto grande",
        "zeer klein; klein; middel/middelgroot/gemiddeld; groot; zeer groot",
        "muito pequeno/muito pequena; pequeno/pequena; medio/media; grande; muito grande",
    ),
    "none to severe": (
        "keine/kein/keiner/unauffallig; minimal; leicht/leichtgradig; "
        "mittel/maßig/mittelschwer/mittelgradig/moderat; schwer/hochgradig; sehr schwer",
        "aucun/aucune/absent/absente; minime; leger/legere; modere/moderee; severe/grave; tres severe/tres grave",
        "ninguno/ninguna/ausente; minimo/minima; leve; moderado/moderada; grave/severo/severa; muy grave",
        "nessuno/nessuna/assente; minimo/minima; lieve; moderato/moderata; grave/severo/severa; molto grave",
    ),
    "poor to excellent": (
        "sehr schlecht; schlecht; mittel/mittelmaßig/durchschnittlich/teils teils; gut; sehr gut; "
        "ausgezeichnet/hervorragend/exzellent",
        "ungenugend; mangelhaft; ausreichend; befriedigend; gut; sehr gut",
        "tres mauvais/tres mauvaise; mauvais/mauvaise; passable; moyen/moyenne; assez bon/assez bonne/assez bien; "
        "bon/bonne/bien; tres bon/tres bonne/tres bien; excellent/excellente",
        "muy malo/muy mala; malo/mala; regular; bueno/buena; muy bueno/muy buena; excelente",
        "pessimo; insufficiente/scarso; sufficiente; discreto; buono; distinto/molto buono; ottimo/eccellente",
        "zeer slecht; slecht; matig; redelijk; goed; zeer goed; uitstekend",
        "muito ruim/muito mau; ruim/mau; regular/razoavel; bom; muito bom; excelente/otimo",
    ),
    "never to always": (
        "nie/niemals; fast nie/sehr selten; selten; gelegentlich/ab und zu; manchmal; oft/haufig; "
        "sehr oft/sehr haufig/meistens; fast immer; immer",
        "jamais; presque jamais/tres rarement; rarement; occasionnellement/de temps en temps; parfois/quelquefois; "
        "souvent/frequemment; tres souvent; presque toujours; toujours",
        "nunca/jamas; casi nunca; rara vez/raramente; ocasionalmente/de vez en cuando; a veces/algunas veces; "
        "a menudo/frecuentemente/con frecuencia; muy a menudo; casi siempre; siempre",
        "mai; quasi mai; raramente/di rado; occasionalmente; a volte/qualche volta/talvolta; spesso; molto spesso; "
        "quasi sempre; sempre",
        "nooit; bijna nooit; zelden; af en toe; soms; vaak; zeer vaak/meestal; bijna altijd; altijd",
        "nunca; quase nunca; raramente; ocasionalmente; as vezes; frequentemente/com frequencia; quase sempre; sempre",
    ),
    "disagree to agree": (
        "stimme gar nicht zu/stimme uberhaupt nicht zu; stimme nicht zu; stimme eher nicht zu; "
        "teils teils/weder noch/neutral/unentschieden; stimme eher zu; stimme zu; "
        "stimme voll zu/stimme voll und ganz zu/stimme vollig zu/stimme vollkommen zu",
        "trifft gar nicht zu/trifft uberhaupt nicht zu; trifft nicht zu; trifft eher nicht zu/trifft weniger zu; "
        "teils teils/weder noch/neutral/unentschieden; trifft eher zu; trifft zu; "
        "trifft voll zu/trifft voll und ganz zu/trifft vollig zu/trifft genau zu",
        "pas du tout d'accord; pas d'accord; plutot pas d'accord; ni d'accord ni pas d'accord/neutre; "
        "plutot d'accord; d'accord; tout a fait d'accord",
        "totalmente en desacuerdo/muy en desacuerdo; en desacuerdo; algo en desacuerdo/parcialmente en desacuerdo; "
        "ni de acuerdo ni en desacuerdo/neutral/indiferente; algo de acuerdo/parcialmente de acuerdo; de acuerdo; "
        "totalmente de acuerdo/muy de acuerdo",
        "completamente in disaccordo/fortemente in disaccordo; in disaccordo; "
        "ne d'accordo ne in disaccordo/neutrale; d'accordo; completamente d'accordo/fortemente d'accordo",
        "helemaal mee oneens/helemaal oneens/zeer mee oneens; mee oneens/oneens; neutraal; mee eens/eens; "
        "helemaal mee eens/helemaal eens/zeer mee eens",
        "discordo totalmente; discordo; discordo parcialmente; nem concordo nem discordo/neutro/indiferente; "
        "concordo parcialmente; concordo; concordo totalmente",
    ),
    "dissatisfied to satisfied": (
        "sehr unzufrieden; unzufrieden; eher unzufrieden; teils teils/neutral/weder noch; eher zufrieden; zufrieden; "
        "sehr zufrieden",
        "tres insatisfait/tres insatisfaite; insatisfait/insatisfaite; plutot insatisfait/plutot insatisfaite; "
        "neutre; plutot satisfait/plutot satisfaite; satisfait/satisfaite; tres satisfait/tres satisfaite",
        "muy insatisfecho/muy insatisfecha; insatisfecho/insatisfecha; neutral/indiferente; "
        "satisfecho/satisfecha; muy satisfecho/muy satisfecha",
        "molto insoddisfatto/molto insoddisfatta; insoddisfatto/insoddisfatta; neutrale; soddisfatto/soddisfatta; "
        "molto soddisfatto/molto soddisfatta",
        "zeer ontevreden; ontevreden; neutraal; tevreden; zeer tevreden",
        "muito insatisfeito/muito insatisfeita; insatisfeito/insatisfeita; neutro; satisfeito/satisfeita; "
        "muito satisfeito/muito satisfeita",
    ),
    "rare to frequent": (
        "nie; jahrlich; halbjahrlich; vierteljahrlich/quartalsweise; monatlich; zweiwochentlich/14 tagig; wochentlich; "
        "taglich; stundlich",
        "jamais; annuel/annuelle; semestriel/semestrielle; trimestriel/trimestrielle; mensuel/mensuelle; "
        "hebdomadaire; quotidien/quotidienne",
    ),
    "education": (
        "kein abschluss/ohne abschluss; hauptschule/hauptschulabschluss; "
        "realschule/realschulabschluss/mittlere reife; fachabitur/fachhochschulreife; abitur/hochschulreife; "
        "bachelor; master/diplom/magister; promotion/doktor",
    ),
}
