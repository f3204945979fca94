/** Reads the WebVTT that the API returns, which has cues only, and writes cues as WebVTT and SRT. */
import type { CueValues } from '../cues/cue-list.ts'

const timing = /^(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})[ \t]+-->[ \t]+(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})[ \t]*(.*)$/

const msOf = ([hours, minutes, seconds, ms]: readonly (string | undefined)[]) =>
  ((Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms)

/** A voice that speaks the whole text. */
const voice = /^<v(?:\.[^\s>]*)?[ \t]+([^>]+)>([\s\S]*?)(?:<\/v>)?$/
/** Only `&` is written plainly in the editor: `&lt;` would look like a tag. */
const named = /&(?:amp|lt|gt|nbsp|lrm|rlm|#\d+);/
const ampersand = /&amp;(?!(?:amp|lt|gt|nbsp|lrm|rlm|#\d+);)/g

export function parseWebVtt(file: string): readonly CueValues[] {
  return file.split(/\n{2,}|\r\n\r\n/).flatMap((block) => {
    const lines = block.split(/\r?\n/)
    const at = lines.findIndex((line) => timing.test(line))
    const fields = timing.exec(lines[at] ?? '')
    if (!fields) return []
    const payload = lines.slice(at + 1).filter((line) => line.trim() !== '')
    const [speaker, text] = spoken(payload.join('\n').replace(ampersand, '&'))
    const [startMs, endMs] = [msOf(fields.slice(1, 5)), msOf(fields.slice(5, 9))]
    return [{ startMs, endMs, speaker, text, settings: fields[9]?.trim() ?? '' }]
  })
}

/** Speaker and text. A cue with several voices keeps their tags in its text. */
function spoken(payload: string): readonly [speaker: string, text: string] {
  const [, speaker = '', text = ''] = voice.exec(payload) ?? []
  return speaker === '' || text.includes('<v') ? ['', payload] : [speaker.trim().replaceAll('&amp;', '&'), text]
}

const two = (value: number) => String(value).padStart(2, '0')

function timestamp(ms: number, separator: '.' | ','): string {
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1000) % 60,
  ]
  return `${two(hours)}:${two(minutes)}:${two(seconds)}${separator}${String(ms % 1000).padStart(3, '0')}`
}

/** Lines of a file. An empty line would end the cue. */
const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

export const isWritten = ({ text }: CueValues) => linesOf(text).length > 0

/** `&` that is not the start of a character reference is escaped, and an arrow, which would start another cue. */
const escaped = (text: string) =>
  text
    .replace(/&/g, (found, index: number) => (named.exec(text.slice(index))?.index === 0 ? found : '&amp;'))
    .replaceAll('-->', '--&gt;')

/** Cues without text are left out. */
export function writeWebVtt(cues: readonly CueValues[]): string {
  const written = cues.filter(isWritten).map(({ startMs, endMs, speaker, text, settings }) => {
    const times = `${timestamp(startMs, '.')} --> ${timestamp(endMs, '.')}`
    const payload = escaped(linesOf(text).join('\n'))
    const said = speaker.trim() === '' ? payload : `<v ${escaped(speaker.trim())}>${payload}`
    return `\n${settings === '' ? times : `${times} ${settings}`}\n${said}\n`
  })
  return `WEBVTT\n${written.join('')}`
}

/** Tags that players of SRT support. */
const srtTag = /^<\/?[ibu]>$/

export function writeSrt(cues: readonly CueValues[]): string {
  return cues
    .filter(isWritten)
    .map(({ startMs, endMs, speaker, text }, index) => {
      const plain = linesOf(text)
        .join('\n')
        .replace(/<[^>]*>/g, (tag) => (srtTag.test(tag) ? tag : ''))
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&nbsp;', '\u00a0')
      const said = speaker.trim() === '' ? plain : `${speaker.trim()}: ${plain}`
      return `${index + 1}\n${timestamp(startMs, ',')} --> ${timestamp(endMs, ',')}\n${said}\n`
    })
    .join('\n')
}
