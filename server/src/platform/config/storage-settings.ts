import { z } from 'zod'
import { httpUrl, isOrigin, listed } from './fields.ts'

const bucketName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'must be the name of a bucket: 3 to 63 of a-z 0-9 . -',
  )

const onOrOff = z.enum(['on', 'off'])

/** How storage is reached, and what it can do; `check-storage` finds that out. */
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
  /** `off` where storage takes no signed forms (POST policies): then every file comes in parts. */
  STORAGE_FORMS: onOrOff.default('on'),
  /** `off` where the uploads bucket cannot keep versions. */
  STORAGE_VERSIONS: onOrOff.default('on'),
}

type StorageAbilities = {
  readonly STORAGE_FORMS: 'on' | 'off'
  readonly STORAGE_VERSIONS: 'on' | 'off'
}

/** A form may be posted again; a file in parts is joined by us, once, so that nothing ever replaces it. */
export const isSafeFromReplacing = ({ STORAGE_FORMS, STORAGE_VERSIONS }: StorageAbilities) =>
  STORAGE_VERSIONS === 'on' || STORAGE_FORMS === 'off'

export const replacingFault = {
  path: ['STORAGE_VERSIONS'],
  message:
    'may be off only with STORAGE_FORMS=off: without versions, a form that is posted again replaces a file that has been taken',
}

/** Where storage is copied to: other buckets, and better another storage. */
export const backupStorageSettings = {
  BACKUP_STORAGE_ENDPOINT: httpUrl,
  BACKUP_STORAGE_REGION: z.string().min(1).default('us-east-1'),
  BACKUP_STORAGE_ACCESS_KEY_ID: z.string().min(1),
  BACKUP_STORAGE_SECRET_ACCESS_KEY: z.string().min(1),
  BACKUP_STORAGE_UPLOADS_BUCKET: bucketName.default('reelkeep-backup-uploads'),
  BACKUP_STORAGE_MEDIA_BUCKET: bucketName.default('reelkeep-backup-media'),
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
