/** Value types of settings. */
import { z } from 'zod'
import { serversOf } from '../../kernel/database-url.ts'

/** URL of one Postgres server. */
export const postgresUrl = z
  .string()
  .refine((text) => serverCountOf(text) === 1, 'must be a URL like postgres://user:password@host:port/database')

/** URL of Postgres with one or several servers, separated by commas. */
export const postgresServersUrl = z
  .string()
  .refine(
    (text) => serverCountOf(text) > 0,
    'must be a URL like postgres://user:password@host:port/database, or with several servers: host1:port,host2:port',
  )

function serverCountOf(url: string): number {
  try {
    return serversOf(url).length
  } catch {
    return 0
  }
}

export const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

export const contactUrl = z
  .string()
  .regex(
    /^(?:https:\/\/|mailto:)\S+$/,
    'must be a URL such as mailto:security@video.example or https://video.example/security',
  )

/** Splits a list separated by commas or spaces. */
export const splitList = (text: string) => text.split(/[\s,]+/).filter(Boolean)

export const isOrigin = (text: string) => /^https?:/.test(text) && URL.parse(text)?.origin === text

export const port = z.coerce.number().int().min(0).max(65_535)
export const seconds = (maximum: number) => z.coerce.number().int().min(1).max(maximum)
export const bytes = (maximum: number) => z.coerce.number().int().min(1).max(maximum)
