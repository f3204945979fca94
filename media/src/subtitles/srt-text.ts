import { escaped } from './webvtt.ts'

/** Converts a line of SRT to WebVTT. Bold, italic and underline are kept; fonts and positions are dropped. */
export const readSrtText = (line: string): string =>
  escaped(line.replace(/\{\\[^{}]{0,80}\}/g, '').replace(/<\/?font\b[^<>]{0,200}>/gi, ''))
    // Restores the escaped tags for bold, italic and underline.
    .replace(/&lt;(\/?[biu])&gt;/gi, (_, tag: string) => `<${tag.toLowerCase()}>`)
    .trim()
