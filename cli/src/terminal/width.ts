import stringWidth from 'string-width'

/** How many columns of a terminal a text takes: a Chinese character takes two, an accent none. */
export const widthOf = (text: string): number => stringWidth(text)

export const padEnd = (text: string, width: number) =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))

export const padStart = (text: string, width: number) =>
  ' '.repeat(Math.max(0, width - widthOf(text))) + text

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** No wider than `width`; what was cut off is marked. */
export function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

/** What comes from elsewhere must not move the cursor or ring the bell. */
export const printable = (text: string) => text.replace(/\p{Cc}+/gu, ' ')
