/** Generates a film whose frames show their numbers as white and black bars, which scripts of a page can read. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const NUMBERED_RATE = 30
const [WIDTH, HEIGHT] = [480, 240]
const BITS = 12
const BAR = WIDTH / BITS

export async function makeNumberedFilm(folder: string, seconds: number): Promise<string> {
  const path = join(folder, `numbered-${seconds}.mp4`)
  const bars = Array.from({ length: BITS }, (_, bit) => {
    const isOne = `mod(floor(n/${2 ** bit})\\,2)`
    return `drawbox=x=${bit * BAR}:y=0:w=${BAR}:h=${HEIGHT}:color=white:t=fill:enable='${isOne}'`
  })
  const video = `color=black:size=${WIDTH}x${HEIGHT}:rate=${NUMBERED_RATE}:duration=${seconds},${bars.join(',')}`
  const sound = `sine=frequency=440:sample_rate=48000:duration=${seconds}`
  const inputs = ['-f', 'lavfi', '-i', video, '-f', 'lavfi', '-i', sound]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '18', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', '-y', ...inputs, ...codecs, path])
  return path
}

/** Script that defines `numberOf(video)`: the number of the frame that a video element shows. */
export const defineNumberOf = `
  globalThis.numberOf = (video) => {
    const canvas = new OffscreenCanvas(${BITS}, 1)
    const context = canvas.getContext('2d', { willReadFrequently: true })
    let number = 0
    for (let bit = 0; bit < ${BITS}; bit++) {
      const width = video.videoWidth / ${BITS}
      context.drawImage(video, (bit + 0.4) * width, video.videoHeight * 0.4, width * 0.2, video.videoHeight * 0.2, bit, 0, 1, 1)
      if (context.getImageData(bit, 0, 1, 1).data[0] > 127) number += 2 ** bit
    }
    return number
  }`
