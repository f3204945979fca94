const timestamp = /(?:\d{2,4}:)?[0-5]\d:[0-5]\d\.\d{3}/.source
const className = /\.[\p{L}\p{N}_-]+/u.source
const tag = new RegExp(
  `<(?:(${timestamp})|(/?)(c|i|b|u|v|lang|ruby|rt)((?:${className})*)(?:[ \\t]([^<>]*))?)>|<`,
  'giu',
)

/**
 * Rewrites the text of a WebVTT cue: keeps timestamps and the tags of WebVTT and escapes every other `<`, so that a
 * player that inserts the text as HTML does not run scripts of the track.
 */
export const rewriteTags = (text: string): string => text.replace(tag, rewriteTag)

function rewriteTag(...match: (string | undefined)[]): string {
  const [, time, slash, name, classes, annotation] = match
  if (time) return `<${time}>`
  if (name === undefined) return '&lt;'
  const written = name.toLowerCase()
  if (slash) return `</${written}>`
  const shown = written === 'v' || written === 'lang' ? withoutValues(annotation) : ''
  return `<${written}${classes}${shown && ` ${shown}`}>`
}

/** In HTML, an annotation is a list of attributes. Without values they have no effect. */
const withoutValues = (annotation = '') => annotation.replaceAll('=', ' ').trim()
