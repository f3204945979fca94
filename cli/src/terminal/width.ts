import stringWidth from 'fast-string-width'

/** Width in terminal columns: two for a Chinese character, none for a combining accent. */
export const widthOf = (text: string): number => stringWidth(text)

export const padEnd = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)))

export const padStart = (text: string, width: number) => ' '.repeat(Math.max(0, width - widthOf(text))) + text

/** Truncates a text with an ellipsis. */
export function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  // Created on demand, because creating the first one takes 20 ms.
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

/** Removes control characters from external text. */
export const printable = (text: string) => text.replace(/\p{Cc}+/gu, ' ')
