import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { NodeHttpHandler } from '@smithy/node-http-handler'

export type StorageOptions = {
  /** How the service reaches storage, and how its callers do. */
  readonly endpoint: string
  readonly publicEndpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly uploadsBucket: string
  readonly mediaBucket: string
}

/** Ceph stalls rather than fails while it heals: an answer may take this long and still come. */
const REQUEST_TIMEOUT_SECONDS = 20
const CONNECT_TIMEOUT_SECONDS = 3

/** The first try and one more, the library's own back-off between them; who asked may ask again. */
const ATTEMPTS_MAX = 2

/** What is asked for beyond them waits until one is free. */
const CONNECTIONS_MAX = 50

/** Pages read of any list of storage's, of a thousand entries each. */
export const PAGES_MAX = 1000

/** Settings that every client of storage needs, whatever it asks for. */
export function clientConfig(
  endpoint: string,
  options: StorageOptions,
  connectionsMax = CONNECTIONS_MAX,
) {
  const { region, accessKeyId, secretAccessKey } = options
  return {
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    maxAttempts: ATTEMPTS_MAX,
    requestHandler: new NodeHttpHandler({
      httpAgent: { maxSockets: connectionsMax },
      httpsAgent: { maxSockets: connectionsMax },
      connectionTimeout: CONNECT_TIMEOUT_SECONDS * 1000,
      requestTimeout: REQUEST_TIMEOUT_SECONDS * 1000,
      throwOnRequestTimeout: true,
    }),
    // The library would otherwise add checksums that many a storage refuses or ignores.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } satisfies S3ClientConfig
}

export const openClient = (endpoint: string, options: StorageOptions, connectionsMax?: number) =>
  new S3Client(clientConfig(endpoint, options, connectionsMax))
