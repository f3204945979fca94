import { escaped } from './webvtt.ts'

/** A line of SRT as one of WebVTT: bold, italic and underlined stay, fonts and places do not. */
export const readSrtText = (line: string): string =>
  escaped(line.replace(/\{\\[^{}]{0,80}\}/g, '').replace(/<\/?font\b[^<>]{0,200}>/gi, ''))
    // They were escaped with everything else.
    .replace(/&lt;(\/?[biu])&gt;/gi, (_, tag: string) => `<${tag.toLowerCase()}>`)
    .trim()
