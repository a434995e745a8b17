"""The public names, listed once: `__init__.py` imports each from here when it is first used."""

from .chunks import Chunks as Chunks
from .chunks import as_chunks as as_chunks
from .context import on as on
from .encoders.fits import encoders_in_chunks as encoders_in_chunks
from .fitting import fit as fit
from .learners.nearest import NearestRows as NearestRows
from .learners.nearest import nearest as nearest
from .plan import Estimate as Estimate
from .plan import Plan as Plan
from .plan import plan as plan
from .registry import learners_in_chunks as learners_in_chunks
from .scoring import ChunkScores as ChunkScores
from .scoring import score as score
