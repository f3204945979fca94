/** What a listener tells whoever started it: a line of JSON each, on its standard output. */
import { z } from 'zod'

const Phrase = z.object({ startSeconds: z.number(), endSeconds: z.number(), text: z.string() })
const Costs = z.object({ cpuSeconds: z.number(), memoryBytesMax: z.number() })
const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('phrase'), phrase: Phrase }),
  z.object({ kind: z.literal('progress'), seconds: z.number() }),
  z.object({ kind: z.literal('failed'), why: z.string() }),
  z.object({ kind: z.literal('done'), costs: Costs }),
])

export type ListenerCosts = Readonly<z.infer<typeof Costs>>
export type ListenerMessage = Readonly<z.infer<typeof Message>>

export const writeMessage = (message: ListenerMessage) => `${JSON.stringify(message)}\n`

/**
 * Takes what comes, wherever it was cut, and hands on each message when it is whole. Any library
 * may write there, too: what is no message is passed over.
 */
export function messageReader(take: (message: ListenerMessage) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const message of lines.map(readMessage)) if (message) take(message)
  }
}

function readMessage(line: string): ListenerMessage | undefined {
  try {
    const { success, data } = Message.safeParse(JSON.parse(line))
    return success ? data : undefined
  } catch {
    return undefined
  }
}
