/** Gives the upload key its rights in the uploads bucket, as far as the bucket's owner can. */
import { GetBucketPolicyCommand, ListBucketsCommand, PutBucketPolicyCommand, type S3Client } from '@aws-sdk/client-s3'
import { undefinedIfNotFound } from '../availability.ts'
import { openClient, type StorageOptions, withUploadKey } from '../client.ts'
import { UploadKeyError } from './setup-errors.ts'
import { isCanonicalId, uploadPolicy } from './upload-policy.rules.ts'

/**
 * Where the rights of the upload key come from. `own policy`: the key belongs to the account of the main key or may not
 * list buckets, so the policy of the key itself decides, as on AWS.
 */
export type UploadKeyAccess = 'not set' | 'own policy' | 'bucket policy'

/** Allows the upload key to put objects if it belongs to another user, as on Ceph. Idempotent. */
export async function allowUploadKey(options: StorageOptions): Promise<UploadKeyAccess> {
  if (options.uploadKey === undefined) return 'not set'
  const service = openClient(options.endpoint, options)
  const uploader = openClient(options.endpoint, withUploadKey(options))
  try {
    const uploadUser = await ownerOf(uploader).catch(throwUploadKeyError)
    const serviceUser = await ownerOf(service)
    const isOther = uploadUser && serviceUser && uploadUser !== serviceUser && !isCanonicalId(uploadUser)
    if (!isOther) return 'own policy'
    const Bucket = options.uploadsBucket
    const current = await undefinedIfNotFound(service.send(new GetBucketPolicyCommand({ Bucket })))
    const Policy = uploadPolicy({ bucket: Bucket, uploadUser, serviceUser }, current?.Policy)
    await service.send(new PutBucketPolicyCommand({ Bucket, Policy }))
    return 'bucket policy'
  } finally {
    service.destroy()
    uploader.destroy()
  }
}

/** Returns the user or account of the client's key; undefined if the key may not list buckets. */
async function ownerOf(client: S3Client): Promise<string | undefined> {
  const listing = client.send(new ListBucketsCommand({}))
  const response = await listing.catch((error: Error) => {
    if (error.name !== 'AccessDenied') throw error
  })
  return response?.Owner?.ID
}

function throwUploadKeyError(error: Error): never {
  if (error.name === 'InvalidAccessKeyId')
    throw new UploadKeyError('The upload key does not exist in storage. Check STORAGE_UPLOAD_ACCESS_KEY_ID.')
  if (error.name === 'SignatureDoesNotMatch')
    throw new UploadKeyError('The secret does not match the upload key. Check STORAGE_UPLOAD_SECRET_ACCESS_KEY.')
  throw error
}
