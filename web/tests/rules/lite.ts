// The SDK for REST, with the names of the SDK for gRPC. In fast-rest it replaces firebase/firestore (vitest.config.ts).
export * from "firebase/firestore/lite";
export { getCount as getCountFromServer, getDoc as getDocFromServer, getDocs as getDocsFromServer } from "firebase/firestore/lite";
