/** A frame of the storyboard: a part of an image. */
export type StoryboardFrame = {
  readonly url: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const frame = /^(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)\s*$/gm

/** Reads the frames of a WebVTT file, in their order. `url` is the address of the file. */
export const storyboardFrames = (text: string, url: string): readonly StoryboardFrame[] =>
  [...text.matchAll(frame)].map(([, name = '', ...numbers]) => {
    const [x = 0, y = 0, width = 0, height = 0] = numbers.map(Number)
    return { url: new URL(name, url).href, x, y, width, height }
  })

/** The frame at a place of the card, from 0 (start) to 1 (end). */
export const frameAt = (frames: readonly StoryboardFrame[], place: number): StoryboardFrame | undefined =>
  frames[Math.max(0, Math.min(frames.length - 1, Math.floor(place * frames.length)))]
