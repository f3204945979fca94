import { S3Client } from '@aws-sdk/client-s3'
import type { StackEnv } from '@reelkeep/testkit'

/** Direct access to storage, with retries for faulty storage. */
export function openStorage(env: StackEnv): Disposable & { readonly client: S3Client } {
  const client = new S3Client({
    endpoint: env.STORAGE_ENDPOINT,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 10,
    credentials: {
      accessKeyId: env.STORAGE_ACCESS_KEY_ID,
      secretAccessKey: env.STORAGE_SECRET_ACCESS_KEY,
    },
  })
  return { client, [Symbol.dispose]: () => client.destroy() }
}
