const steps = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats bytes with decimal units. */
export function byteCount(bytes: number): string {
  let step = 0
  let amount = bytes
  while (amount >= 999.5 && step < steps.length - 1) {
    amount /= 1000
    step++
  }
  const digits = step === 0 || amount >= 99.5 ? 0 : 1
  return `${amount.toFixed(digits)} ${steps[step]}`
}

/** For example `3 folders` or `1 folder`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
