/** Path of storage notifications, in its own file so that storage setup does not import the routes. */
export const STORAGE_NOTIFICATIONS_PATH = '/storage-events/'

export const storageNotificationsPath = (secret: string) => `${STORAGE_NOTIFICATIONS_PATH}${secret}/`
