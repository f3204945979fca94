import { S3Client } from '@aws-sdk/client-s3'
import type { StackEnv } from '@reelkeep/testkit'

/** Storage as the tests look into it, patient with one that is being broken. */
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
