import { z } from 'zod'
import { httpUrl, isOrigin, listed } from './fields.ts'

const bucketName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'must be the name of a bucket: 3 to 63 of a-z 0-9 . -',
  )

/** How storage is reached; any S3 that takes signed forms. */
export const storageSettings = {
  STORAGE_ENDPOINT: httpUrl,
  /** The same for the callers' side, if they reach it by another name. */
  STORAGE_PUBLIC_ENDPOINT: httpUrl.optional(),
  STORAGE_REGION: z.string().min(1).default('us-east-1'),
  STORAGE_ACCESS_KEY_ID: z.string().min(1),
  STORAGE_SECRET_ACCESS_KEY: z.string().min(1),
  STORAGE_UPLOADS_BUCKET: bucketName.default('reelkeep-uploads'),
  /** What is made of uploaded files. */
  STORAGE_MEDIA_BUCKET: bucketName.default('reelkeep-media'),
}

/** Storage cannot sign what it sends: whoever knows the secret may say that a file has arrived. */
export const eventsSecret = z
  .string()
  .regex(/^[\w-]{32,128}$/, 'must have 32 to 128 letters, digits, _ or -')

/** What the set-up of the buckets needs beside them. */
export const storageSetupSettings = {
  ...storageSettings,
  /** From where browsers may upload; `*` for everywhere. */
  UPLOAD_ORIGINS: z
    .string()
    .default('*')
    .transform(listed)
    .refine(
      (origins) => origins.every((origin) => origin === '*' || isOrigin(origin)),
      'must be * or origins such as https://video.example',
    ),
  /** Where storage reaches the service's operations port; absent: it does not notify. */
  STORAGE_EVENTS_URL: httpUrl.optional(),
  STORAGE_EVENTS_SECRET: eventsSecret.optional(),
}
