"""The model file: a manifest and arrays, checked before anything is built from them, and never code.

`model.save`: the estimator's `to_state` (plain values and arrays), `manifest.pack` (JSON and safetensors), read back
once as a test, `envelope.seal` (header and checksum), `atomic.write_file`. `model.open_model` goes the other way:
`envelope.unseal` checks size and checksum, `manifest.unpack` types and shapes, `registry.class_named` looks the class
up in the closed list, its `from_state` checks every value, and `sanity_check` asks the model about two rows. `folder`
writes several files as one.
"""

from mercer.store.model import Card, StoredModel, load, open_model, save

__all__ = ["Card", "StoredModel", "load", "open_model", "save"]
