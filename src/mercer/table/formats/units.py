"""What may stand beside a number: currencies, per cent, thousands and millions, and units of measurement."""

from __future__ import annotations

SCALES = {
    "k": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "mio.": 1e6, "b": 1e9, "bn": 1e9, "mrd": 1e9, "mrd.": 1e9, "t": 1e12
}  # fmt: skip
# A flat 4b is no billion: these need a fraction or a currency somewhere in the column to be read as scales.
DOUBTFUL_SCALES = frozenset({"b", "t"})
CURRENCIES = (
    "US$", "A$", "C$", "R$", "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD",
    "NZD", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "BRL", "MXN", "ZAR", "Fr.", "kr", "zł", "Kč", "Rs.",
    "Rs",
)  # fmt: skip
# Case matters (mW, MW). One letter needs a blank before it: 12A is a flat, 12 A a current.
_UNITS = (
    "kg g mg µg ug t lb lbs oz st km m cm mm µm um nm mi mile miles ft feet in inch inches yd m² m2 km² km2 cm² cm2 "
    "mm² mm2 sqft sqm ha acre acres m³ m3 cm³ cm3 cc l L ml mL dl dL cl gal s sec secs second seconds ms µs us ns min "
    "mins minute minutes h hr hrs hour hours d day days wk week weeks mo month months mth mths y yr yrs year years "
    "°C °F °K C F ° deg W kW MW mW kWh MWh Wh V kV mV A mA Ah mAh Hz kHz MHz GHz Ω ohm J kJ MJ cal kcal N Nm kNm Pa "
    "hPa kPa MPa bar mbar psi mmHg bpm dB rpm mph kmh km/h kph m/s kmpl mpg km/kg hp bhp PS kB KB MB GB TB bit kbit "
    "Mbit Mbps Gbps px pt MP mg/dl mg/dL mmol/l mmol/L g/dl g/dL IU U mol mmol ppm ppb x pcs pieces people persons "
    "rooms room points pts times copies items"
)
UNITS = frozenset(_UNITS.split())
