/** Where storage tells of objects, for whoever tells storage so: apart from what is done about them. */
export const STORAGE_EVENTS_PATH = '/storage-events/'

export const storageEventsPath = (secret: string) => `${STORAGE_EVENTS_PATH}${secret}/`
