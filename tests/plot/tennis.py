"""Fourteen days on which tennis was played or not (Quinlan 1986)."""

_NAMES = ("outlook", "temperature", "humidity", "wind")
_DAYS = """
    sunny hot high weak no
    sunny hot high strong no
    overcast hot high weak yes
    rain mild high weak yes
    rain cool normal weak yes
    rain cool normal strong no
    overcast cool normal strong yes
    sunny mild high weak no
    sunny cool normal weak yes
    rain mild normal weak yes
    sunny mild normal strong yes
    overcast mild high strong yes
    overcast hot normal weak yes
    rain mild high strong no
"""
*_CONDITIONS, _PLAYED = zip(*(day.split() for day in _DAYS.strip().splitlines()), strict=True)
TENNIS = {name: list(cells) for name, cells in zip(_NAMES, _CONDITIONS, strict=True)}
PLAY = list(_PLAYED)
NOMINAL = dict.fromkeys(("temperature", "humidity", "wind"), "category")
