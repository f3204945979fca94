import { z } from 'zod'
import { httpUrl, isOrigin, splitList } from './fields.ts'

const bucketName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be a bucket name: 3 to 63 characters of a-z 0-9 . -')

const onOrOff = z.enum(['on', 'off'])

/** Access to storage, and its features, which `check-storage` determines. */
export const storageSettings = {
  STORAGE_ENDPOINT: httpUrl,
  /** URL at which clients reach storage, if it differs from STORAGE_ENDPOINT. */
  STORAGE_PUBLIC_ENDPOINT: httpUrl.optional(),
  STORAGE_REGION: z.string().min(1).default('us-east-1'),
  STORAGE_ACCESS_KEY_ID: z.string().min(1),
  STORAGE_SECRET_ACCESS_KEY: z.string().min(1),
  STORAGE_UPLOADS_BUCKET: bucketName.default('reelkeep-uploads'),
  /** Processed media. */
  STORAGE_MEDIA_BUCKET: bucketName.default('reelkeep-media'),
  /** `off` if storage does not support signed forms (POST policies): then every file is uploaded in parts. */
  STORAGE_FORMS: onOrOff.default('on'),
  /** `off` if storage does not support versioning. */
  STORAGE_VERSIONS: onOrOff.default('on'),
}

type StorageFeatures = {
  readonly STORAGE_FORMS: 'on' | 'off'
  readonly STORAGE_VERSIONS: 'on' | 'off'
}

/**
 * Whether an uploaded file cannot be replaced. A form may be posted again; an upload in parts is completed once by the
 * service and cannot be replaced.
 */
export const preventsReplacement = ({ STORAGE_FORMS, STORAGE_VERSIONS }: StorageFeatures) =>
  STORAGE_VERSIONS === 'on' || STORAGE_FORMS === 'off'

export const replacementError = {
  path: ['STORAGE_VERSIONS'],
  message: 'may be off only with STORAGE_FORMS=off: without versions, posting a form again replaces an accepted file',
}

/** Access key that signs upload forms and part URLs, and may only put objects. Default: the main key signs. */
export const uploadKeySettings = {
  STORAGE_UPLOAD_ACCESS_KEY_ID: z.string().min(1).optional(),
  STORAGE_UPLOAD_SECRET_ACCESS_KEY: z.string().min(1).optional(),
}

type UploadKey = {
  readonly STORAGE_UPLOAD_ACCESS_KEY_ID?: string | undefined
  readonly STORAGE_UPLOAD_SECRET_ACCESS_KEY?: string | undefined
}

/** Whether both halves of the upload key are set, or neither. */
export const hasWholeUploadKey = ({
  STORAGE_UPLOAD_ACCESS_KEY_ID: id,
  STORAGE_UPLOAD_SECRET_ACCESS_KEY: secret,
}: UploadKey) => (id === undefined) === (secret === undefined)

export const uploadKeyError = {
  path: ['STORAGE_UPLOAD_ACCESS_KEY_ID'],
  message: 'must be set together with STORAGE_UPLOAD_SECRET_ACCESS_KEY',
}

/** Target of the storage backup: other buckets, preferably in another storage service. */
export const backupStorageSettings = {
  BACKUP_STORAGE_ENDPOINT: httpUrl,
  BACKUP_STORAGE_REGION: z.string().min(1).default('us-east-1'),
  BACKUP_STORAGE_ACCESS_KEY_ID: z.string().min(1),
  BACKUP_STORAGE_SECRET_ACCESS_KEY: z.string().min(1),
  BACKUP_STORAGE_UPLOADS_BUCKET: bucketName.default('reelkeep-backup-uploads'),
  BACKUP_STORAGE_MEDIA_BUCKET: bucketName.default('reelkeep-backup-media'),
}

/** Storage cannot sign its notifications, so the secret in the URL authenticates them. */
export const eventsSecret = z.string().regex(/^[\w-]{32,128}$/, 'must have 32 to 128 letters, digits, _ or -')
export const storageSetupSettings = {
  ...storageSettings,
  ...uploadKeySettings,
  /** Origins that may upload from browsers; `*` for all. */
  UPLOAD_ORIGINS: z
    .string()
    .default('*')
    .transform(splitList)
    .refine(
      (origins) => origins.every((origin) => origin === '*' || isOrigin(origin)),
      'must be * or origins such as https://video.example',
    ),
  /** URL at which storage reaches the operations port; without it, storage sends no notifications. */
  STORAGE_EVENTS_URL: httpUrl.optional(),
  STORAGE_EVENTS_SECRET: eventsSecret.optional(),
}
