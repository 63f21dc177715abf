/** The import cannot be done as requested. The message tells a person why, and what to do. */
export class ImportError extends Error {}
