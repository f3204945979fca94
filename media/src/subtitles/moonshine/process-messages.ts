/** Messages of the transcription process to its parent: lines of JSON on standard output. */
import { z } from 'zod'

const Phrase = z.object({ startSeconds: z.number(), endSeconds: z.number(), text: z.string() })
const Costs = z.object({ cpuSeconds: z.number(), memoryBytesMax: z.number() })
const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('phrase'), phrase: Phrase }),
  z.object({ kind: z.literal('progress'), seconds: z.number() }),
  z.object({ kind: z.literal('failed'), error: z.string() }),
  z.object({ kind: z.literal('done'), costs: Costs }),
])

export type TranscriptionCosts = Readonly<z.infer<typeof Costs>>
export type TranscriptionMessage = Readonly<z.infer<typeof Message>>

export const writeMessage = (message: TranscriptionMessage) => `${JSON.stringify(message)}\n`

/** Parses chunks and reports each complete message. Other output, for example of libraries, is ignored. */
export function messageReader(onMessage: (message: TranscriptionMessage) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const message of lines.map(readMessage)) if (message) onMessage(message)
  }
}

function readMessage(line: string): TranscriptionMessage | undefined {
  try {
    const { success, data } = Message.safeParse(JSON.parse(line))
    return success ? data : undefined
  } catch {
    return undefined
  }
}
