/** The kinds of values that settings have. */
import { z } from 'zod'

export const postgresUrl = z
  .string()
  .refine(
    (text) => /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '') && URL.parse(text)?.hostname,
    'must be an address of the form postgres://user:password@host:port/database',
  )

export const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

/** Several in one setting, with commas or spaces between them. */
export const listed = (text: string) => text.split(/[\s,]+/).filter(Boolean)

export const isOrigin = (text: string) => /^https?:/.test(text) && URL.parse(text)?.origin === text

export const port = z.coerce.number().int().min(0).max(65_535)
export const seconds = (most: number) => z.coerce.number().int().min(1).max(most)
export const bytes = (most: number) => z.coerce.number().int().min(1).max(most)
