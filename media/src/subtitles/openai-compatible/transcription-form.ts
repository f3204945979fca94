/** The body of `POST /v1/audio/transcriptions`: fields and a WAV file, as `multipart/form-data`. */
import { randomUUID } from 'node:crypto'
import { BYTES_PER_SAMPLE, SAMPLES_PER_SECOND } from '../transcription/transcriber.ts'

export type TranscriptionForm = {
  readonly contentType: string
  /** Bytes of the form before and after the audio samples. */
  readonly head: Buffer
  readonly tail: Buffer
}

export function transcriptionForm(
  fields: Readonly<Record<string, string>>,
  audioBytes: number,
  boundary = `reelkeep-${randomUUID()}`,
): TranscriptionForm {
  const named = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="audio.wav"\r\nContent-Type: audio/wav\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.concat([Buffer.from(named.join('') + file), wavHeader(audioBytes)]),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  }
}

const WAV_HEADER_BYTES = 44
const PCM = 1

function wavHeader(audioBytes: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + audioBytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(PCM, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SAMPLES_PER_SECOND, 24)
  header.writeUInt32LE(SAMPLES_PER_SECOND * BYTES_PER_SAMPLE, 28)
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32)
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(audioBytes, 40)
  return header
}
