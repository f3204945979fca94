/** Formats of `Intl`, kept because creating one takes as long as rendering a card. */

type Create<Options, Format> = (language: string, options: Options) => Format

function memoized<Options, Format>(create: Create<Options, Format>): Create<Options, Format> {
  const formats = new Map<string, Format>()
  return (language, options) => {
    const key = `${language} ${JSON.stringify(options)}`
    const format = formats.get(key) ?? create(language, options)
    formats.set(key, format)
    return format
  }
}

export const numberFormat = memoized(
  (language, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options),
)
export const dateFormat = memoized(
  (language, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options),
)
export const relativeTimeFormat = memoized(
  (language, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(language, options),
)
