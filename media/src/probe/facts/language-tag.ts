/** ISO 639-2's bibliographic codes, which some containers use. BCP 47 has different codes for these languages. */
const bibliographicCodes: Readonly<Record<string, string>> = {
  alb: 'sq',
  arm: 'hy',
  baq: 'eu',
  bur: 'my',
  chi: 'zh',
  cze: 'cs',
  dut: 'nl',
  fre: 'fr',
  geo: 'ka',
  ger: 'de',
  gre: 'el',
  ice: 'is',
  mac: 'mk',
  mao: 'mi',
  may: 'ms',
  per: 'fa',
  rum: 'ro',
  slo: 'sk',
  tib: 'bo',
  wel: 'cy',
}

/** Language codes without information: undetermined, uncoded, multiple, no linguistic content, reserved. */
const uninformativeCodes = ['und', 'mis', 'mul', 'zxx', 'qaa']

const LANGUAGE_LENGTH_MAX = 35

/** Returns a well-formed BCP 47 tag in its canonical spelling ("de", "pt-BR"), or undefined. */
export function cleanLanguage(tag: string | undefined): string | undefined {
  const trimmed = (tag ?? '').trim().replaceAll('_', '-')
  if (trimmed === '' || trimmed.length > LANGUAGE_LENGTH_MAX) return undefined
  const lower = trimmed.toLowerCase()
  if (uninformativeCodes.includes(lower.split('-')[0] ?? '')) return undefined
  try {
    return Intl.getCanonicalLocales(bibliographicCodes[lower] ?? trimmed)[0]
  } catch {
    return undefined
  }
}
