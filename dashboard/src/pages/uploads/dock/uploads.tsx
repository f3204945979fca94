import type { ReactNode } from 'react'

/** Provides the upload queue of the organization to all pages. */
export const Uploads = ({ children }: { readonly children: ReactNode }) => children
