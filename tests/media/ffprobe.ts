/** Reads a file or a URL with ffprobe, as an independent parser. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const OUTPUT_BYTES_MAX = 2 ** 26

type Packet = {
  readonly pts: number
  readonly dts: number
  readonly duration: number
  readonly flags: string
}

type ProbedStream = {
  readonly index: number
  readonly codec_type: string
  readonly time_base: string
  readonly width?: number
  readonly height?: number
  readonly channels?: number
  readonly disposition?: { readonly attached_pic: number; readonly default: number }
  readonly [more: string]: unknown
}

export type Probed = {
  readonly streams: readonly ProbedStream[]
  readonly format: { readonly duration?: string }
  readonly packets?: readonly Packet[]
}

export const probeStreams = (url: string): Promise<Probed> => ffprobe([url])

export const probePackets = (path: string): Promise<Probed> =>
  ffprobe(['-show_entries', 'packet=pts,dts,duration,flags', path])

export const probeOverHttp = (url: string): Promise<Probed> => ffprobe(['-protocol_whitelist', 'http,tcp', url])

async function ffprobe(more: readonly string[]): Promise<Probed> {
  const shown = ['-v', 'error', '-of', 'json', '-show_streams', '-show_format']
  const { stdout } = await run('ffprobe', [...shown, ...more], { maxBuffer: OUTPUT_BYTES_MAX })
  return JSON.parse(stdout) as Probed
}
