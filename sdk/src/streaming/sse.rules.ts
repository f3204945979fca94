/** One block of a Server-Sent Events stream; only the fields that we use. */
export type Frame = {
  readonly id: string | undefined
  readonly data: string | undefined
  /** Delay before reconnecting. */
  readonly retrySeconds: number | undefined
}

/** Maximum length of a block, far above the size of any event. A longer block is not from Reelkeep. */
export const FRAME_CHARACTERS_MAX = 4_000_000

/** Returns the complete blocks, and the incomplete rest of the text. */
export function parseFrames(text: string): { readonly frames: Frame[]; readonly rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n')
  const rest = blocks.pop() ?? ''
  return { frames: blocks.map(toFrame), rest }
}

function toFrame(block: string): Frame {
  const values = { id: [], data: [], retry: [] } as Record<string, string[]>
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? []
    values[name]?.push(value)
  }
  const { id = [], data = [], retry = [] } = values
  return {
    id: id.at(-1),
    data: data.length > 0 ? data.join('\n') : undefined,
    retrySeconds: retry.length > 0 ? Number(retry.at(-1)) / 1000 : undefined,
  }
}
