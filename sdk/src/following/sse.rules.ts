/** One block of a stream of Server-Sent Events, as far as we use them. */
export type Frame = {
  readonly id: string | undefined
  readonly data: string | undefined
  /** How long to stay away before connecting again. */
  readonly retrySeconds: number | undefined
}

/** Far above any event; what sends more without ending a block is no stream of ours. */
export const FRAME_CHARACTERS_MAX = 4_000_000

/** Blocks that are complete, and the text that is left over for the next time. */
export function framesIn(text: string): { readonly frames: Frame[]; readonly rest: string } {
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
