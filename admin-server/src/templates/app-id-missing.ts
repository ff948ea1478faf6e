/** The app's id is not stored, and samples belong to an app. */
export class AppIdMissing extends Error {
  override name = "AppIdMissing";
}
