/** A progress bar with a resolution of half a column. */
export function renderBar(share: number, columns: number): string {
  const halves = Math.floor(Math.min(Math.max(share, 0), 1) * columns * 2)
  const full = Math.floor(halves / 2)
  const isHalf = halves % 2 === 1
  return '━'.repeat(full) + (isHalf ? '╸' : '') + '─'.repeat(columns - full - (isHalf ? 1 : 0))
}

/** Formats a percentage, rounded down, so that 100 % means complete. */
export const percentOf = (share: number): string => `${Math.floor(Math.min(Math.max(share, 0), 1) * 100)} %`
