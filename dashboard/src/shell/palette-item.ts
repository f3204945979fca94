import type { ReactNode } from 'react'

/** An entry of the command palette. */
export type PaletteItem = {
  readonly id: string
  readonly label: string
  readonly keys?: string
  /** Shown instead of the label. */
  readonly content?: ReactNode
  readonly run: () => void
}
