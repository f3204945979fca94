/** Reads the option `--minutes`. @throws Error if it is not a number above 0, with which a run would test nothing */
export function minutesOf(text: string): number {
  const minutes = Number(text)
  if (minutes > 0 && Number.isFinite(minutes)) return minutes
  throw new Error(`--minutes must be a number above 0 (got ${text}).`)
}
