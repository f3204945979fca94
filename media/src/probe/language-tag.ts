/** ISO 639-2's codes for the languages that have two names there: containers write either, BCP 47 knows one. */
const bibliographic: Readonly<Record<string, string>> = {
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

/** Codes that say that there is nothing to say. */
const saysNothing = ['und', 'mis', 'mul', 'zxx', 'qaa']

const LANGUAGE_LENGTH_MAX = 35

/** A well-formed BCP 47 tag in its usual spelling ("de", "pt-BR"), or undefined. */
export function cleanLanguage(tag: string | undefined): string | undefined {
  const trimmed = (tag ?? '').trim().replaceAll('_', '-')
  if (trimmed === '' || trimmed.length > LANGUAGE_LENGTH_MAX) return undefined
  const lower = trimmed.toLowerCase()
  if (saysNothing.includes(lower.split('-')[0] ?? '')) return undefined
  try {
    return Intl.getCanonicalLocales(bibliographic[lower] ?? trimmed)[0]
  } catch {
    return undefined
  }
}
