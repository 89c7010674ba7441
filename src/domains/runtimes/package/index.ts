export { unpack, type PackagedRuntime, type UnpackedPackage } from './package.ts'
