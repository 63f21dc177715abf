/** The import cannot be done as asked; the message tells a person why and what to do. */
export class ImportError extends Error {}
