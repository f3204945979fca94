import { useState } from 'react'
import { useTimelineTools } from '../studio/studio-context.tsx'
import { frameAt, frameStart } from '../studio/timeline/frames.ts'
import { type Edge, edgeMs, endingWith, frameCount, moved, type Part, shownAt, startingWith, wholeOf } from './part.ts'

export type PartState = ReturnType<typeof usePart>

/** The chosen part. The player shows the frame of the edge that was changed. */
export function usePart(initialSeconds: number) {
  const { video, playhead } = useTimelineTools()
  const [part, setPart] = useState<Part>(() => {
    const frame = frameAt(video.rate, initialSeconds * 1000)
    // At the end, nothing would be left.
    return startingWith(wholeOf(video), frame < frameCount(video) - 1 ? frame : 0, video)
  })
  const [isPlaying, setPlaying] = useState(false)
  const shownFrame = () => Math.min(frameAt(video.rate, playhead.frameMs), frameCount(video) - 1)
  const show = (next: Part, edge: Edge) => playhead.seek(frameStart(video.rate, shownAt(next, edge)))
  const change = (next: Part, edge: Edge) => {
    setPlaying(false)
    setPart(next)
    show(next, edge)
  }
  return {
    part,
    change,
    show: (edge: Edge) => show(part, edge),
    moveTo: (edge: Edge, frame: number) => change(moved(part, edge, { frame, video }), edge),
    startHere: () => setPart(startingWith(part, shownFrame(), video)),
    endHere: () => setPart(endingWith(part, shownFrame())),
    /** Whether the part is played from its start to its end. */
    isPlaying,
    play: () => {
      playhead.pause()
      show(part, 'startFrame')
      setPlaying(true)
      playhead.toggle()
    },
    stop: () => {
      setPlaying(false)
      playhead.pause()
      show(part, 'endFrame')
    },
    ms: (edge: Edge) => edgeMs(part, edge, video),
  }
}
