/** Parses uploaded tracks. Threads load this file, so it imports only the parser of the media package. */
import { type ConvertedTrack, convertTrack } from '@reelkeep/media/convert-track'
import type { Parser } from '../../platform/threads/thread-pool.ts'

type TrackText = { readonly text: string }

export const parseTrack = ({ text }: TrackText): ConvertedTrack => convertTrack(text)

export const trackParser: Parser<TrackText, ConvertedTrack> = { file: new URL(import.meta.url), parse: parseTrack }
