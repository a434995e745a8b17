"""What all pictures share, none of it global: every setting is of the axes drawn on.

1. `canvas` makes the axes, and is the decorator of every picture;
2. `colours`: colours that the colour-blind tell apart, and markers, line styles and hatches that survive in grey;
3. `marks`: bars, bands and points side by side;
4. `labels` places titles, legends and names of levels;
5. `fonts` finds a font for letters that the usual one has not.
"""
