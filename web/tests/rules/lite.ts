// The SDK that speaks REST, by the names of the one that speaks gRPC: it is firebase/firestore in fast-rest (vitest.config.ts).
export * from "firebase/firestore/lite";
export { getCount as getCountFromServer, getDoc as getDocFromServer, getDocs as getDocsFromServer } from "firebase/firestore/lite";
