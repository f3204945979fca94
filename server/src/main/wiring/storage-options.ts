import type { BackupStorageConfig, StorageConfig, UploadKeyConfig } from '../../platform/config/env.ts'
import type { AccessKey, StorageOptions } from '../../platform/storage/client.ts'

export const storageOptions = (config: StorageConfig & Partial<UploadKeyConfig>): StorageOptions => ({
  endpoint: config.STORAGE_ENDPOINT,
  publicEndpoint: config.STORAGE_PUBLIC_ENDPOINT ?? config.STORAGE_ENDPOINT,
  region: config.STORAGE_REGION,
  accessKeyId: config.STORAGE_ACCESS_KEY_ID,
  secretAccessKey: config.STORAGE_SECRET_ACCESS_KEY,
  uploadKey: uploadKey(config),
  uploadsBucket: config.STORAGE_UPLOADS_BUCKET,
  mediaBucket: config.STORAGE_MEDIA_BUCKET,
  supportsForms: config.STORAGE_FORMS === 'on',
  keepsVersions: config.STORAGE_VERSIONS === 'on',
})

function uploadKey({
  STORAGE_UPLOAD_ACCESS_KEY_ID: accessKeyId,
  STORAGE_UPLOAD_SECRET_ACCESS_KEY: secretAccessKey,
}: Partial<UploadKeyConfig>): AccessKey | undefined {
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
}

export const backupStorageOptions = (config: BackupStorageConfig): StorageOptions => ({
  endpoint: config.BACKUP_STORAGE_ENDPOINT,
  publicEndpoint: config.BACKUP_STORAGE_ENDPOINT,
  region: config.BACKUP_STORAGE_REGION,
  accessKeyId: config.BACKUP_STORAGE_ACCESS_KEY_ID,
  secretAccessKey: config.BACKUP_STORAGE_SECRET_ACCESS_KEY,
  uploadsBucket: config.BACKUP_STORAGE_UPLOADS_BUCKET,
  mediaBucket: config.BACKUP_STORAGE_MEDIA_BUCKET,
  // Clients do not upload to the backup, and it has only the linked version of each file.
  supportsForms: false,
  keepsVersions: false,
})
