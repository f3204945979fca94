import type { StorageConfig } from '../platform/config/env.ts'
import type { StorageOptions } from '../platform/storage/client.ts'

export const storageOptions = (config: StorageConfig): StorageOptions => ({
  endpoint: config.STORAGE_ENDPOINT,
  publicEndpoint: config.STORAGE_PUBLIC_ENDPOINT ?? config.STORAGE_ENDPOINT,
  region: config.STORAGE_REGION,
  accessKeyId: config.STORAGE_ACCESS_KEY_ID,
  secretAccessKey: config.STORAGE_SECRET_ACCESS_KEY,
  uploadsBucket: config.STORAGE_UPLOADS_BUCKET,
  mediaBucket: config.STORAGE_MEDIA_BUCKET,
})
