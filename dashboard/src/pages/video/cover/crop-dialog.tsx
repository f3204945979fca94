import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import styles from './crop.module.css'
import { changedView, coverSize, cropOf, type View, wholeView, zoomMax } from './crop.ts'

type Props = {
  readonly file: File
  /** Width of the video divided by its height. */
  readonly videoRatio: number
  readonly onCrop: (image: Blob) => void
  readonly onClose: () => void
}

const WIDE = 16 / 9
/** Ratios this close are the same to the eye. */
const SAME_RATIO = 0.02
const JPEG_QUALITY = 0.92

/** Shows the cover as it will be. The image is moved and zoomed behind its frame. */
export function CropDialog({ file, videoRatio, onCrop, onClose }: Props) {
  const { t } = useLingui()
  const image = useImage(file)
  return (
    <Dialog title={t`Crop the cover`} isWide onClose={onClose}>
      {image === null && <p role="alert">{t`This image cannot be read. Choose a JPEG, PNG or WebP file.`}</p>}
      {image === undefined && <p role="status">{t`Loading…`}</p>}
      {image && <Crop {...{ image, videoRatio, onCrop, onClose }} />}
    </Dialog>
  )
}

/** Undefined while it is read; null if the file is not an image. */
function useImage(file: File): ImageBitmap | null | undefined {
  const [image, setImage] = useState<ImageBitmap | null>()
  useEffect(() => {
    let isCurrent = true
    createImageBitmap(file).then(
      (bitmap) => (isCurrent ? setImage(bitmap) : bitmap.close()),
      () => isCurrent && setImage(null),
    )
    return () => {
      isCurrent = false
    }
  }, [file])
  return image
}

type Change = Omit<Parameters<typeof changedView>[2], 'view'>
type CropProps = Pick<Props, 'videoRatio' | 'onCrop' | 'onClose'> & { readonly image: ImageBitmap }

function Crop({ image, videoRatio, onCrop, onClose }: CropProps) {
  const { t } = useLingui()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [ratio, setRatio] = useState(videoRatio)
  const [view, setView] = useState<View>(wholeView)
  const change = (by: Change) => setView((current) => changedView(image, ratio, { view: current, ...by }))
  const chooseRatio = (chosen: number) => {
    setRatio(chosen)
    setView(wholeView)
  }
  const max = zoomMax(image, ratio)
  const save = () => canvas.current?.toBlob((blob) => blob && onCrop(blob), 'image/jpeg', JPEG_QUALITY)
  return (
    <>
      <Frame {...{ canvas, image, ratio, view }} onChange={change} />
      <div className={styles.settings}>
        {Math.abs(videoRatio / WIDE - 1) > SAME_RATIO && (
          <fieldset className={styles.shapes}>
            <legend>{t`Aspect ratio`}</legend>
            <Shape
              label={t`Same as the video`}
              isChosen={ratio === videoRatio}
              onChoose={() => chooseRatio(videoRatio)}
            />
            <Shape label="16:9" isChosen={ratio === WIDE} onChoose={() => chooseRatio(WIDE)} />
          </fieldset>
        )}
        <label className={styles.zoom}>
          {t`Zoom`}
          <input
            type="range"
            {...{ min: 1, max, step: 0.01, value: view.zoom, disabled: max === 1 }}
            aria-valuetext={`${Math.round(view.zoom * 100)} %`}
            onChange={({ target }) => change({ zoom: Number(target.value) })}
          />
        </label>
      </div>
      <div className={styles.buttons}>
        <Button onClick={onClose}>{t`Cancel`}</Button>
        <Button look="primary" onClick={save}>
          {t`Use as cover`}
        </Button>
      </div>
    </>
  )
}

type ShapeProps = { readonly label: string; readonly isChosen: boolean; readonly onChoose: () => void }

const Shape = ({ label, isChosen, onChoose }: ShapeProps) => (
  <label>
    <input type="radio" name="shape" checked={isChosen} onChange={onChoose} />
    {label}
  </label>
)

/** Share of the crop by which an arrow key moves; with Shift, ten times as far. */
const STEP = 0.01
const ZOOM_STEP = 0.1

type FrameProps = Drawing & {
  readonly canvas: RefObject<HTMLCanvasElement | null>
  readonly image: ImageBitmap
  readonly onChange: (by: Change) => void
}

function Frame({ canvas, image, ratio, view, onChange }: FrameProps) {
  const { t } = useLingui()
  const hint = useId()
  const dragged = useRef<{ readonly x: number; readonly y: number }>(undefined)
  useEffect(() => {
    if (canvas.current) draw(canvas.current, image, { ratio, view })
  }, [canvas, image, ratio, view])
  const onKeyDown = (event: KeyboardEvent) => {
    const by = changeOfKey(event.key, event.shiftKey ? 10 * STEP : STEP, view.zoom)
    if (!by) return
    event.preventDefault()
    onChange(by)
  }
  const onPointerDown = ({ clientX: x, clientY: y, currentTarget, pointerId }: PointerEvent) => {
    currentTarget.setPointerCapture(pointerId)
    dragged.current = { x, y }
  }
  const onPointerMove = ({ clientX: x, clientY: y, currentTarget }: PointerEvent) => {
    const from = dragged.current
    if (!from) return
    dragged.current = { x, y }
    const { width, height } = currentTarget.getBoundingClientRect()
    onChange({ right: (from.x - x) / width, down: (from.y - y) / height })
  }
  const end = () => {
    dragged.current = undefined
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: It handles keys and the pointer itself. */}
      <canvas
        ref={canvas}
        className={styles.frame}
        style={{ aspectRatio: ratio, maxInlineSize: `calc(52dvh * ${ratio})` }}
        role="application"
        aria-label={t`Part of the image`}
        aria-describedby={hint}
        tabIndex={0}
        {...{ onKeyDown, onPointerDown, onPointerMove }}
        onPointerUp={end}
        onPointerCancel={end}
      />
      <p id={hint} className={styles.hint}>
        {t`Drag the image, or move it with the arrow keys. Plus and minus zoom.`}
      </p>
    </>
  )
}

/** Arrow keys move the image in their direction, so the view goes the other way. */
function changeOfKey(key: string, step: number, zoom: number) {
  const changes: Readonly<Record<string, Change>> = {
    ArrowLeft: { right: step },
    ArrowRight: { right: -step },
    ArrowUp: { down: step },
    ArrowDown: { down: -step },
    '+': { zoom: zoom + ZOOM_STEP },
    '-': { zoom: zoom - ZOOM_STEP },
  }
  return changes[key]
}

type Drawing = { readonly ratio: number; readonly view: View }

function draw(canvas: HTMLCanvasElement, image: ImageBitmap, { ratio, view }: Drawing): void {
  const { left, top, width, height } = cropOf(image, ratio, view)
  const size = coverSize({ width, height })
  canvas.width = size.width
  canvas.height = size.height
  const context = canvas.getContext('2d')
  if (!context) return
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, left, top, width, height, 0, 0, size.width, size.height)
}
